/** Restores: plans and runs that put keys back to past states, or undo the writes of an actor. */
package io.volute.versioning.restore;
