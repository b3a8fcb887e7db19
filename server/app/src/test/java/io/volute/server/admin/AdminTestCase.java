package io.volute.server.admin;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the admin API over a real store, one for each test. */
abstract class AdminTestCase {
    @TempDir Path directory;

    AdminTestBed bed;

    @BeforeEach
    final void openBed() throws IOException {
        bed = new AdminTestBed(directory);
    }

    @AfterEach
    final void closeBed() throws IOException {
        bed.close();
    }
}
