/** Commands for backups: those of a server, and those that need only the target. */
package io.volute.distribution.backup;
