/**
 * Segments of the log as ledgers of Apache BookKeeper, listed in Apache ZooKeeper. A server loads
 * this package only when a cube has {@code log.store = bookkeeper}.
 */
package io.volute.bookkeeper;
