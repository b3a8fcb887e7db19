/** Synchronous commits to the cube, and the listeners of their changes. */
package io.volute.versioning.commit;
