/** Targets of event notifications, as the settings describe them. */
package io.volute.server.config.targets;
