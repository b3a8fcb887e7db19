package io.volute.server.s3;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the protocol over a real store, one for each class. */
public abstract class S3TestCase {
    @TempDir private static Path directory;

    protected static S3TestBed bed;

    @BeforeAll
    protected static void openBed() {
        bed = new S3TestBed(directory);
    }

    /** The directory of the store's data. */
    protected static Path directory() {
        return directory;
    }

    @AfterAll
    protected static void closeBed() {
        bed.close();
    }
}
