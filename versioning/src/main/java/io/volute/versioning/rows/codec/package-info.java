/** The elements of rows: numbers, texts, and values that several rows share. */
package io.volute.versioning.rows.codec;
