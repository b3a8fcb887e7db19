/** The file layer: the only place that touches {@code java.nio.channels}. */
package io.volute.storage.io;
