/** Bytes: hashes with names, the writer and the reader of canonical encodings. */
package io.volute.provenance.format;
