/** The present and past rows of one key, and the locks under which they change. */
package io.volute.versioning.state;
