/** The location of object bytes, and reads of records that move meanwhile. */
package io.volute.versioning.body;
