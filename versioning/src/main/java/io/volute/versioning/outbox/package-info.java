/** Messages about changes of keys, for consumers outside the store. */
package io.volute.versioning.outbox;
