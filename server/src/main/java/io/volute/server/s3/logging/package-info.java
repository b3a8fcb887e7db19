/** Server access logging of buckets: its configuration, and the buckets that take logs. */
package io.volute.server.s3.logging;
