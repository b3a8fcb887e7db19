/** Commits to the cube, as whoever makes one waits for it. */
package io.volute.versioning.commit;
