/**
 * The index: sorted tables in one store, written in atomic batches without a log of their own. The
 * only package that knows RocksDB. What lies here is a cache of the log and may be deleted.
 */
package io.volute.storage.index;
