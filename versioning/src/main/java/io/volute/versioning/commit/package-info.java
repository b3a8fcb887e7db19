/** Synchronous commits to the cube. */
package io.volute.versioning.commit;
