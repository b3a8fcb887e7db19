/**
 * The bytes of this module's records: keys and rows, each with a version in its first byte. Pure
 * functions; the families and their rules are in docs/format/rows.md.
 */
package io.volute.versioning.rows;
