/** The events of the history: writes them to the log, indexes them, and walks over them. */
package io.volute.versioning.event;
