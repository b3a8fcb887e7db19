/** Where the bytes of objects lie, and how they are read while records move. */
package io.volute.versioning.body;
