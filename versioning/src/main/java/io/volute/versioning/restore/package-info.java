/** Plans and runs of restores: puts keys back to what they were, or undoes what an actor did. */
package io.volute.versioning.restore;
