/**
 * Reclaiming space: when to clean, which segments, how fast, and the two ways to do it: punching
 * holes in place (compaction) and copying to survivors (combined cleaning).
 */
package io.volute.storage.cleaning;
