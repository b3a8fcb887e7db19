/** Event notifications: which changes have messages, and their delivery to targets. */
package io.volute.server.notification;
