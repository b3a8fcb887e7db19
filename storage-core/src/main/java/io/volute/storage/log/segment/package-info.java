/**
 * Single segment files: their lifetime, the table of those in the log, and verified reads of
 * entries.
 */
package io.volute.storage.log.segment;
