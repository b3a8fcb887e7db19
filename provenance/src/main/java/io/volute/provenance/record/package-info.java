/** What is written down: chain identities, entries, batches, records; values and their bytes. */
package io.volute.provenance.record;
