/** Work in the background: checkpoints, retention of entries and history, and the scrub. */
package io.volute.server.upkeep;
