/** Questions about the history, and the removal of what has been kept for long enough. */
package io.volute.versioning.history;
