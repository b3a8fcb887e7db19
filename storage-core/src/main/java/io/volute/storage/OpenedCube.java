package io.volute.storage;

import io.volute.storage.report.RecoveryReport;

/** A cube that has just been opened, and the report of its recovery. */
public record OpenedCube(Cube cube, RecoveryReport report) {}
