/** Bytes on disk: segments, log, group commit, index and recovery. Knows no S3 and no versions. */
package io.volute.storage;
