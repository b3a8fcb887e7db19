/** Objects in requests and answers: headers, documents, ranges and sources of copies. */
package io.volute.server.s3.content;
