/** One S3 request on its way: which operation it is, who may run it, and how its answer is made. */
package io.volute.server.s3.call;
