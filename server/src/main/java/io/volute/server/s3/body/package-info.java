/** Request bodies on their way in: decoded, counted and checked against all that was promised. */
package io.volute.server.s3.body;
