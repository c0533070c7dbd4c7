# One Makefile, no recursion. Objects go to $(B); `make help` lists the targets.

CC     ?= cc
CROSS  ?=
PREFIX ?= /usr/local
CFLAGS ?= -O2 -g
WARN   := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes $(if $(WERROR),-Werror)

B := build
ifdef SAN
B := build-san
CFLAGS += -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
LDFLAGS += -fsanitize=address,undefined
endif
ifdef TSAN
B := build-tsan
CFLAGS += -O1 -fsanitize=thread
LDFLAGS += -fsanitize=thread
endif
ifneq ($(CROSS),)
CC := $(CROSS)gcc
B := build-$(CROSS:-=)
endif

PKG_CONFIG ?= $(CROSS)pkg-config
REQUIRED := libelf libdw libzstd capstone
LIBS     := $(shell $(PKG_CONFIG) --libs $(REQUIRED) 2>/dev/null) -lpthread
CPPFLAGS += -D_GNU_SOURCE -I. $(shell $(PKG_CONFIG) --cflags $(REQUIRED) 2>/dev/null)
TARGET   := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))

NATIVE := core/native_none.c
ifeq ($(TARGET),x86_64)
NATIVE := arch/x86/native.c
endif
ifeq ($(TARGET),aarch64)
NATIVE := arch/arm64/native.c
endif

SRC := $(filter-out %/native.c core/native_none.c,$(wildcard core/*.c core/*/*.c arch/*/*.c auxtrace/*.c auxtrace/*/*.c)) $(NATIVE)
CMD := $(wildcard cmd/*.c)
LIB := $(SRC:%.c=$(B)/%.o)

.PHONY: all clean
all: prec

prec: $(B)/prec
	@cp $< $@

$(B)/prec: $(CMD:%.c=$(B)/%.o) $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(CPPFLAGS) $(CFLAGS) $(WARN) -MMD -MP -c -o $@ $<

clean:
	rm -rf build build-* prec

-include $(LIB:.o=.d) $(CMD:%.c=$(B)/%.d)
