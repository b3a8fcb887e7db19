/**
 * The program {@code volute}: the commands that are the server's own code, beside those of the
 * client.
 */
package io.volute.distribution;
