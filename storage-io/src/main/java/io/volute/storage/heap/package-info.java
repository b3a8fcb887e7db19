/** Bounds of the heap that data of clients takes. */
package io.volute.storage.heap;
