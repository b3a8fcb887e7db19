/** The parts of which rows are made: numbers, texts, and values that several rows have. */
package io.volute.versioning.rows.codec;
