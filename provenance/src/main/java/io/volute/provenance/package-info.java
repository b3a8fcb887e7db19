/**
 * Signed history: entries in chains, linked by the integrity spiral, signed in batches, fixed by
 * checkpoints, and the audit of all that. Knows no storage and no HTTP: an auditor runs it with an
 * export and public keys. All bytes are described in {@code docs/format/provenance.md}.
 */
package io.volute.provenance;
