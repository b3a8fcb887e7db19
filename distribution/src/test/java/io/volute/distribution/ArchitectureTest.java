package io.volute.distribution;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Checks the dependencies of the client and of the whole program. */
@Tag("slow")
class ArchitectureTest {
    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    // The test bed of commands.
                    .withImportOption(location -> !location.contains("-tests.jar"))
                    .importPackages("io.volute");

    /** Here both are on the class path; in admin-cli the server is not. */
    @Test
    void theClientDoesWithoutTheServer() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.admin..", "io.volute.adminapi..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.volute.server..", "io.volute.versioning..", "io.volute.distribution..")
                .check(CLASSES);
    }

    @Test
    void goesThroughTheModulesApis() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.distribution..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.netty..", "org.rocksdb..", "java.nio.channels..")
                .check(CLASSES);
    }
}
