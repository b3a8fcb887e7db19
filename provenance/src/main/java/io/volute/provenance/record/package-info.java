/** The data of provenance: chain identities, entries, batches, records, and their encodings. */
package io.volute.provenance.record;
