/**
 * Segments on replicated ledgers: the store of segments, the local mirrors that serve reads, and
 * the two services that it needs, which other modules implement.
 */
package io.volute.storage.log.ledger;
