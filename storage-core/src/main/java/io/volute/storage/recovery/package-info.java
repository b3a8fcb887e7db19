/** Recovery at start: replays the log into the index, or makes the index again from the log. */
package io.volute.storage.recovery;
