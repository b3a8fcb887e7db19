/** The file layer: the only place that touches {@code java.nio.channels} and native calls. */
package io.volute.storage.io;
