/** The signed history of all keys of a store: entries, batches, keys, checkpoints, as rows. */
package io.volute.versioning.provenance;
