package io.volute.server.s3;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Tests of the protocol over a real store on a simulated disk, one for each class. */
public abstract class S3TestCase {
    protected static S3TestBed bed;

    @BeforeAll
    protected static void openBed() {
        bed = new S3TestBed();
    }

    @AfterAll
    protected static void closeBed() {
        bed.close();
    }
}
