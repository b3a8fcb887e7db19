/** The configuration: one file, the environment, flags; every key known, every value checked. */
package io.volute.server.config;
