/** XML in and out, bounded and without reflection. */
package io.volute.server.s3.xml;
