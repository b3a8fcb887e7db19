/**
 * The write path: the queue of transactions, the plan of a batch, the committing thread that
 * appends and applies it, and the thread that flushes the index.
 */
package io.volute.storage.commit;
