/**
 * The interface of the segment log: appends, positions, scans, holes. Its implementation over files
 * is in {@code log.file}.
 */
package io.volute.storage.log;
