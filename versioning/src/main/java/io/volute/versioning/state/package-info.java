/** The rows of one key, as they are and as they were, and the locks under which they change. */
package io.volute.versioning.state;
