/** Keys of the settings, and the types of their values. */
package io.volute.server.config.key;
