/** Queries of the history, and its retention. */
package io.volute.versioning.history;
