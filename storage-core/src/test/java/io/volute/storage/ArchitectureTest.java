package io.volute.storage;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** What the storage core may use. Think hard before changing this. */
class ArchitectureTest {
    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("io.volute");

    @Test
    void knowsNothingAbove() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.storage..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.volute.versioning..",
                        "io.volute.provenance..",
                        "io.volute.server..",
                        "io.volute.admin..",
                        "io.netty..",
                        "javax.xml..")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void onlyTheFileLayerTouchesFiles() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.storage..")
                .and()
                .resideOutsideOfPackages("io.volute.storage.io..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.nio.channels..")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void onlyTheFileLayerMakesNativeCalls() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.storage..")
                .and()
                .resideOutsideOfPackages("io.volute.storage.io..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("com.sun.jna..")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void onlyTheIndexKnowsRocksDb() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.storage..")
                .and()
                .resideOutsideOfPackages("io.volute.storage.index..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.rocksdb..")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void formatDoesNoInputOrOutput() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.storage.format..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.volute.storage.io..",
                        "io.volute.storage.log..",
                        "io.volute.storage.cube..",
                        "io.volute.storage.index..")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void theLogDoesNotKnowTheIndex() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.storage.log..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.volute.storage.index..", "io.volute.storage.cube..")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void theIndexDoesNotKnowTheLog() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.storage.index..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.volute.storage.log..", "io.volute.storage.cube..")
                .allowEmptyShould(true)
                .check(CLASSES);
    }
}
