package io.volute.storage;

import io.volute.storage.report.RecoveryReport;

/** A cube that has just been opened, with what its recovery found. */
public record OpenedCube(Cube cube, RecoveryReport report) {}
