/** The command {@code volute cluster}, and a whole cluster on one machine for trying it. */
package io.volute.distribution.cluster;
