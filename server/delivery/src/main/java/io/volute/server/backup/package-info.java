/**
 * Backups: snapshots of the data directory as packs and a manifest in a target, and their
 * verification and restore, which need no server (docs/format/backup.md).
 */
package io.volute.server.backup;
